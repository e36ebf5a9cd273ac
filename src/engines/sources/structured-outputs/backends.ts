/**
 * The grammar backend of a vLLM or SGLang server, which compiles the constraints of the whole process:
 *
 * - `xgrammar`: takes any schema, and ignores what it does not enforce.
 * - `guidance`: llguidance. It enforces our own grammars.
 * - `other`: outlines, lm-format-enforcer, or one that is not known. Schemas and regular expressions alone are sent.
 * - `none`: constraints are ignored, so none is sent.
 */
export type GrammarBackend = NamedBackend | 'none'

/** A backend that an operator can name. */
export type NamedBackend = 'xgrammar' | 'guidance' | 'other'

/** The backends that an operator can name. */
export const NAMED_BACKENDS: readonly NamedBackend[] = ['xgrammar', 'guidance', 'other']
