"""Which texts two libraries allow by a grammar, each as a whole.

python grammars.py MODEL ASKED.json: ASKED is a list of { backend, grammar, texts }, of which backend is xgrammar or guidance.
Prints a list of { verdicts: [whether a text is allowed], error }.
"""
import json
import sys

import llguidance
import llguidance.hf
import xgrammar
from transformers import AutoTokenizer

VOCABULARY = 201088

tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
tokens_of_llguidance = llguidance.hf.from_tokenizer(tokenizer, n_vocab=VOCABULARY)
# Without tokens: texts are matched by their bytes.
compiler = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo([]), max_threads=1, cache_enabled=False)


def by_xgrammar(grammar):
    matcher = xgrammar.GrammarMatcher(compiler.compile_grammar(grammar))

    def allows(text):
        matcher.reset()
        return matcher.accept_string(text) and matcher.is_completed()

    return allows


def by_guidance(grammar):
    # As vLLM does.
    start = llguidance.LLMatcher(tokens_of_llguidance, llguidance.grammar_from("grammar", grammar))
    if start.get_error():
        raise ValueError(start.get_error())

    def allows(text):
        matcher = start.deep_copy()
        tokens = tokenizer.encode(text, add_special_tokens=False)
        return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()

    return allows


READERS = {"xgrammar": by_xgrammar, "guidance": by_guidance}


def judged(asked):
    try:
        allows = READERS[asked["backend"]](asked["grammar"])
        return {"verdicts": [allows(text) for text in asked["texts"]], "error": None}
    except Exception as error:
        return {"verdicts": [], "error": str(error)[:300]}


with open(sys.argv[2]) as file:
    print(json.dumps([judged(asked) for asked in json.load(file)]))
