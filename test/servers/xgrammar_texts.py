"""Texts as xgrammar matches them."""
import xgrammar

# Without tokens: texts are matched by their bytes.
compiler = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo([]), max_threads=1, cache_enabled=False)


def by_xgrammar(compiled):
    """Whether a compiled grammar allows a text as a whole."""
    matcher = xgrammar.GrammarMatcher(compiled)

    def allows(text):
        matcher.reset()
        return matcher.accept_string(text) and matcher.is_completed()

    return allows
