"""The stable codes, by family: what each means and why the rule is there.

Numbers are never reused or renumbered. COV0xx: the file and its YAML; COV1xx: the shape of a
manifest; COV2xx: references and rules across fields; COV3xx: folders and layout; COV4xx: loading
and running a package's code; COV5xx: world packs. A documentation text says what the rule protects
and how a manifest that meets it looks; `covel explain` prints it.
"""

from covel_host.diagnostics.code_table_files import FILES, YAML
from covel_host.diagnostics.code_table_loading import LOADING
from covel_host.diagnostics.code_table_manifests import LAYOUT, REFERENCES, SHAPE
from covel_host.diagnostics.code_table_packages import CONTRIBUTION_RULES, FILE_RULES
from covel_host.diagnostics.code_table_runtimes import REFERENCE_RULES, RUNTIME_RULES
from covel_host.diagnostics.code_table_texts import TEXT_RULES
from covel_host.diagnostics.code_table_worlds import WORLDS

ALL_CODES = (
    *FILES,
    *YAML,
    *SHAPE,
    *REFERENCES,
    *FILE_RULES,
    *RUNTIME_RULES,
    *REFERENCE_RULES,
    *CONTRIBUTION_RULES,
    *TEXT_RULES,
    *LAYOUT,
    *LOADING,
    *WORLDS,
)
