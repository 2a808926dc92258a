"""Manifests read into typed models, with every problem at its place in the file.

`package.read_package` reads a whole package folder. `frontmatter` splits and reads one file,
`root_manifest` and `runtime_manifest` hold the models of `PLUGIN.md` and `RUNTIME.md`, and
`model_reading` turns YAML into a model and its errors into problems. No package code runs here.
"""
