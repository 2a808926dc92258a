from ..tools.herbs import log_herb
