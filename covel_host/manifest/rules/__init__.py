"""The rules of spec/manifest.md 6 and of the seed that need more than the shape of one field.

One module for each family; a rule is a `rule.Rule` whose code, severity and effect come from the
one table of codes. `fields` runs what loading needs and no other file tells; `package_files`,
`package_code` and `package_texts` look at the files a manifest names.
"""
