"""One runtime run: agents, functions, guards, and the contexts of package code.

`runs.new_run` makes any of them. An agent is a loop with completion rules and prompt assembly, a
function the package's own handler. `loop_tools` is the one table of the tools that steer an agent's
loop; `call_outputs` turns what calls show and emit into proposals at the end of a run.

The rules here are pure and synchronous: `completion` decides after each model reply whether the run
goes on, is corrected, ends or fails; `prompt` puts a request together and `prompt_trimming` makes
it fit the model's window. The modules that await hold no rule.
"""
