"""Serves a model of transformers by the part of vLLM's /v1/completions that this library uses. llguidance holds constraints.

python serve.py FOLDER NAME PORT
"""
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import llguidance.hf
import llguidance.torch
import torch
from llguidance import LLMatcher
from llguidance.gbnf_to_lark import any_to_lark
from transformers import AutoModelForCausalLM, AutoTokenizer, DynamicCache, GenerationConfig

FOLDER, NAME, PORT = sys.argv[1], sys.argv[2], int(sys.argv[3])

torch.set_num_threads(1)
torch.set_grad_enabled(False)
MODEL = AutoModelForCausalLM.from_pretrained(FOLDER, dtype=torch.bfloat16, attn_implementation="eager").eval()
TOKENIZER = AutoTokenizer.from_pretrained(FOLDER)
CONTEXT = MODEL.config.max_position_embeddings
VOCABULARY = MODEL.config.vocab_size
ENDS = GenerationConfig.from_pretrained(FOLDER).eos_token_id
GRAMMAR_TOKENIZER = llguidance.hf.from_tokenizer(TOKENIZER, n_vocab=VOCABULARY)


class Refused(Exception):
    """A call that the client has to change."""


class Turns:
    """One step of one call at a time, and how many calls there are."""

    def __init__(self):
        self.lock = threading.Lock()
        self.running = 0

    def change(self, by):
        with self.lock:
            self.running += by


TURNS = Turns()


def matcher_of(structured):
    """The matcher of `structured_outputs`; None without. Raises Refused if it does not compile."""
    if not structured:
        return None
    ((kind, value),) = structured.items()
    try:
        if kind == "json":
            grammar = LLMatcher.grammar_from_json_schema(value if isinstance(value, str) else json.dumps(value))
        elif kind == "regex":
            grammar = LLMatcher.grammar_from_regex(value)
        elif kind == "grammar":
            grammar = LLMatcher.grammar_from_lark(any_to_lark(value))
        else:
            raise Refused(f"{kind} is not supported")
        matcher = LLMatcher(GRAMMAR_TOKENIZER, grammar)
    except ValueError as error:
        raise Refused(f"the constraint does not compile: {error}") from error
    if matcher.is_error():
        raise Refused(f"the constraint does not compile: {matcher.get_error()}")
    return matcher


class Call:
    """The parameters of a request, checked."""

    def __init__(self, body):
        self.prompt = body["prompt"]
        if len(self.prompt) >= CONTEXT:
            raise Refused(
                f"This model's maximum context length is {CONTEXT} tokens. However, your request has {len(self.prompt)} input tokens."
            )
        self.most = min(body.get("max_tokens", 16), CONTEXT - len(self.prompt))
        self.temperature = body.get("temperature", 1.0)
        self.top_p, self.top_k, self.min_p = body.get("top_p", 1.0), body.get("top_k", -1), body.get("min_p", 0.0)
        self.logprobs = body.get("logprobs")
        self.stops = set(body.get("stop_token_ids") or []) | set(ENDS)
        # Ids without a token have no word.
        words = TOKENIZER.get_added_vocab()
        self.banned = [words[word] for word in body.get("bad_words") or [] if word in words]
        self.matcher = matcher_of(body.get("structured_outputs"))
        self.random = torch.Generator()
        seed = body.get("seed")
        self.random.seed() if seed is None else self.random.manual_seed(seed)

    def steps(self):
        """Yields each token: its id, its log-probability, the likeliest ones with theirs, and how the call ends with it."""
        cache = DynamicCache(config=MODEL.config)
        fresh = self.prompt
        for left in range(self.most - 1, -1, -1):
            with TURNS.lock:
                scores = MODEL(torch.tensor([fresh]), past_key_values=cache, use_cache=True, logits_to_keep=1).logits[0, -1].float()
                own = None if self.logprobs is None else torch.log_softmax(scores, -1)
                token = self.sample(self.constrained(scores.clone()))
            if self.matcher is not None and token not in ENDS:
                self.matcher.consume_token(token)
            top = [] if own is None else own.topk(max(1, self.logprobs)).indices.tolist()[: self.logprobs]
            scored = None if own is None else (float(own[token]), {one: float(own[one]) for one in top})
            end = "stop" if token in self.stops else "length" if left == 0 else None
            yield token, scored, end
            if end is not None:
                return
            fresh = [token]

    def constrained(self, scores):
        scores[self.banned] = float("-inf")
        if self.matcher is not None:
            mask = llguidance.torch.allocate_token_bitmask(1, VOCABULARY)
            llguidance.torch.fill_next_token_bitmask(self.matcher, mask, 0)
            llguidance.torch.apply_token_bitmask_inplace(scores[None], mask)
        return scores

    def sample(self, scores):
        if self.temperature == 0:
            return int(scores.argmax())
        chances = torch.softmax(scores / self.temperature, -1)
        if self.min_p > 0:
            chances[chances < self.min_p * chances.max()] = 0
        if self.top_k > 0:
            chances[chances < chances.topk(self.top_k).values[-1]] = 0
        if self.top_p < 1:
            ordered, places = chances.sort(descending=True)
            chances[places[ordered.cumsum(0) - ordered > self.top_p]] = 0
        return int(torch.multinomial(chances, 1, generator=self.random))


def choice_of(token, scored, end):
    """A chunk's choice, with ids in place of text."""
    logprobs = None
    if scored is not None:
        own, top = scored
        name = "token_id:{}".format
        logprobs = {
            "tokens": [name(token)],
            "token_logprobs": [own],
            "top_logprobs": [{name(token): own, **{name(one): value for one, value in top.items()}}],
        }
    stopped_at = token if end == "stop" and token != TOKENIZER.eos_token_id else None
    return {"index": 0, "text": "", "token_ids": [token], "logprobs": logprobs, "finish_reason": end, "stop_reason": stopped_at}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, value, kind="application/json"):
        data = (value if isinstance(value, str) else json.dumps(value)).encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path == "/health":
            self.answer(200, "", "text/plain")
        elif self.path == "/v1/models":
            model = {"id": NAME, "object": "model", "owned_by": "transformers", "max_model_len": CONTEXT}
            self.answer(200, {"object": "list", "data": [model]})
        elif self.path == "/metrics":
            self.answer(200, f'vllm:num_requests_running{{model_name="{NAME}"}} {TURNS.running}\n', "text/plain")
        else:
            self.answer(404, {"error": {"message": "Not Found"}})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/tokenize":
            return self.answer(200, {"tokens": TOKENIZER.encode(body["prompt"], add_special_tokens=False)})
        if self.path != "/v1/completions":
            return self.answer(404, {"error": {"message": "Not Found"}})
        try:
            call = Call(body)
        except Refused as refused:
            return self.answer(400, {"error": {"message": str(refused), "type": "BadRequestError", "code": 400}})
        TURNS.change(1)
        try:
            self.stream(call) if body.get("stream") else self.whole(call)
        except ConnectionError:
            # The client left.
            self.close_connection = True
        finally:
            TURNS.change(-1)

    def whole(self, call):
        steps = list(call.steps())
        text = TOKENIZER.decode([token for token, _, _ in steps], skip_special_tokens=True)
        self.answer(200, {"choices": [{"index": 0, "text": text, "finish_reason": steps[-1][2]}]})

    def stream(self, call):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        count = 0
        for step in call.steps():
            count += 1
            self.event(json.dumps({"choices": [choice_of(*step)]}))
        usage = {"prompt_tokens": len(call.prompt), "completion_tokens": count}
        self.event(json.dumps({"choices": [], "usage": usage}))
        self.event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def event(self, data):
        chunk = f"data: {data}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        self.wfile.flush()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


Server(("127.0.0.1", PORT), Handler).serve_forever()
