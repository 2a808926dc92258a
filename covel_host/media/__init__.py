"""Media files: the bytes, under their SHA-256. What is known of them are rows in `store.assets`.

A file is stored whole or not at all, before its row is written, so a row never names bytes that
are not there; bytes without a row are orphans, found again by the same content or cleaned up.
"""
