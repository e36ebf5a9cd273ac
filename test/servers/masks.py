"""The processor time of one mask, by what a backend is sent, over the tokens of a body: the least of three, where it takes long,
since a busy machine slows that down as well.

python masks.py MODEL ASKED.json: ASKED is a list of { backend, kind, text, body }, of which kind is json, structural_tag or grammar.
Prints a list of { compile, masks: [ms], refused: the place of the first token that is not allowed, wrong: tokens that xgrammar's
mask allows and its matcher refuses, error }.
"""
import json
import statistics
import sys
import time

import llguidance
import llguidance.hf
import numpy
import xgrammar
from transformers import AutoTokenizer

VOCABULARY = 201088
ENDS = [200002, 200012]
LONG_MS = 0.5
# How many of the tokens that a mask allows are tried, evenly spaced: a string allows most of the vocabulary.
MOST_TRIED = 40

tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
info = xgrammar.TokenizerInfo.from_huggingface(tokenizer, vocab_size=VOCABULARY, stop_token_ids=ENDS)
compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
bits = xgrammar.allocate_token_bitmask(1, VOCABULARY)
tokens_of_llguidance = llguidance.hf.from_tokenizer(tokenizer, n_vocab=VOCABULARY)


class Xgrammar:
    def __init__(self, kind, text):
        compiled = compiler.compile_structural_tag(text) if kind == "structural_tag" else compiler.compile_grammar(text)
        self.matcher = xgrammar.GrammarMatcher(compiled)

    def mask(self):
        self.matcher.fill_next_token_bitmask(bits, 0)

    def take(self, token):
        return self.matcher.accept_token(token)


class Guidance:
    def __init__(self, kind, text):
        # As vLLM does.
        self.matcher = llguidance.LLMatcher(tokens_of_llguidance, llguidance.grammar_from(kind, text))
        if self.matcher.get_error():
            raise ValueError(self.matcher.get_error())

    def mask(self):
        self.matcher.compute_bitmask()

    def take(self, token):
        return self.matcher.consume_token(token)


def took(work):
    before = time.thread_time()
    value = work()
    return value, (time.thread_time() - before) * 1000


def timed(asked):
    kind = Xgrammar if asked["backend"] == "xgrammar" else Guidance
    try:
        matcher, compiled = took(lambda: kind(asked["kind"], asked["text"]))
    except Exception as error:
        return {"compile": 0, "masks": [], "refused": 0, "error": str(error)[:300]}
    masks = []
    for place, token in enumerate(tokenizer.encode(asked["body"], add_special_tokens=False)):
        masks.append(took(matcher.mask)[1])
        if not matcher.take(token):
            return {"compile": compiled, "masks": masks, "refused": place, "error": None}
    return {"compile": compiled, "masks": masks, "refused": None, "error": None}


def wrong(asked):
    matcher = Xgrammar(asked["kind"], asked["text"])
    found = []
    for place, token in enumerate(tokenizer.encode(asked["body"], add_special_tokens=False)):
        matcher.mask()
        allowed = numpy.flatnonzero(numpy.unpackbits(bits.numpy().view(numpy.uint8), bitorder="little"))
        tried = allowed[:: len(allowed) // MOST_TRIED + 1].tolist()
        refused = [one for one in tried if not matcher.matcher.fork().accept_token(one)]
        found += [f"{tokenizer.decode([one])!r} ({one}) at {place}" for one in refused]
        matcher.take(token)
    return found


def measured(asked):
    found = timed(asked)
    for _ in range(2):
        if not found["masks"] or statistics.median(found["masks"]) <= LONG_MS:
            break
        found["masks"] = [min(both) for both in zip(found["masks"], timed(asked)["masks"])]
    # In a walk of its own, which the time of a mask does not include.
    is_tried = asked["backend"] == "xgrammar" and found["error"] is None
    return {**found, "wrong": wrong(asked) if is_tried else []}


with open(sys.argv[2]) as file:
    print(json.dumps([measured(asked) for asked in json.load(file)]))
