"""One runtime run: the agent loop, completion, prompt assembly, the contexts of package code.

The rules here are pure and synchronous: `completion` decides after each model reply whether the run
goes on, is corrected, ends or fails; `prompt` puts a request together and `prompt_trimming` makes
it fit the model's window. The modules that await hold no rule.
"""
