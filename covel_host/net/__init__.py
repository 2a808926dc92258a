"""Outbound HTTP on behalf of package code.

`policy` says where a package may go, `addresses` which machines of the network nobody reaches,
`urls` and `headers` what a request may look like, `client` sends it and follows redirects, each hop
checked anew. A name is looked up once per connection and the connection goes to the very address
that was checked, so that a second answer cannot lead elsewhere. Nothing of a URL beside its host,
no header and no body ever enters a trace (spec/protocol.md 3).
"""
