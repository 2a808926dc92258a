"""The author's kit: a package under test in a host of its own, and the pytest plugin.

`plugin` is the pytest plugin (entry point `pytest11`), `bench` what its fixture `covel` gives,
`private_host` the host behind it, `case_file` and `case_run` the runtime cases of packages.
Nothing heavy is imported before a fixture or a case is used.
"""
