import { FIRST_SPECIAL, VOCABULARY_SIZE } from '../../../core/harmony/vocabulary.js'
import { EngineError } from '../../contract/engine-error.js'
import { importNodeLlamaCpp } from './load-llama.js'
import type { LlamaConstraint, LlamaGrammarModel, NodeLlamaCpp } from './node-llama-cpp.js'

/**
 * Constrains llama.cpp to a grammar for one call; its state cannot be used for a second one. Special tokens that do not
 * end a sequence are banned: the grammar would take them for their spelling.
 *
 * @throws EngineError `invalid_prompt` if llama.cpp cannot read the grammar; `server_error` if node-llama-cpp is
 * missing
 */
export async function constrain(model: LlamaGrammarModel, gbnf: string): Promise<LlamaConstraint> {
  const module = await importNodeLlamaCpp()
  let grammar: unknown
  try {
    grammar = await model.llama.createGrammar({ grammar: gbnf })
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new EngineError('invalid_prompt', `llama.cpp cannot read the grammar: ${message}`, { cause })
  }
  const grammarEvaluationState = new module.LlamaGrammarEvaluationState({ model, grammar })
  return { grammarEvaluationState, tokenBias: biasOf(model, module) }
}

/** Cached by model, because it takes 10 ms to create. */
const biases = new WeakMap<LlamaGrammarModel, unknown>()

function biasOf(model: LlamaGrammarModel, { TokenBias }: NodeLlamaCpp): unknown {
  const known = biases.get(model)
  if (known !== undefined) return known
  const special = Array.from({ length: VOCABULARY_SIZE - FIRST_SPECIAL }, (_, index) => FIRST_SPECIAL + index)
  // This itself excludes the ends of sequence.
  const bias = TokenBias.for(model).set(special, 'never')
  biases.set(model, bias)
  return bias
}
