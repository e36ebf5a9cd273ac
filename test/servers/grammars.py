"""Which texts two libraries allow by a grammar, each as a whole.

python grammars.py MODEL ASKED.json: ASKED is a list of { backend, grammar, texts }, of which backend is xgrammar or guidance.
Prints a list of { verdicts: [whether a text is allowed], error }.
"""
import json
import sys

import llguidance
import llguidance.hf
from transformers import AutoTokenizer
from xgrammar_texts import by_xgrammar, compiler

VOCABULARY = 201088

tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
tokens_of_llguidance = llguidance.hf.from_tokenizer(tokenizer, n_vocab=VOCABULARY)


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


READERS = {"xgrammar": lambda grammar: by_xgrammar(compiler.compile_grammar(grammar)), "guidance": by_guidance}


def judged(asked):
    try:
        allows = READERS[asked["backend"]](asked["grammar"])
        return {"verdicts": [allows(text) for text in asked["texts"]], "error": None}
    except Exception as error:
        return {"verdicts": [], "error": str(error)[:300]}


with open(sys.argv[2]) as file:
    print(json.dumps([judged(asked) for asked in json.load(file)]))
