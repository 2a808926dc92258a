"""Text that can be stored: UTF-8 has no form for lone surrogates."""


def storable_text(text: str) -> str:
    """`text` with each lone surrogate replaced by U+FFFD; two that make a character are joined.

    Models and operating systems hand out such text: a broken escape in a reply, a file name that
    is not UTF-8.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
