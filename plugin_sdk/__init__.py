"""The authors' API of Covel."""
