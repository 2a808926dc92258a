"""The command line `covel …`: parse, call, render; every command is imported when it is used."""
