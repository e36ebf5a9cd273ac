const inPart = (name: string): string => `The engine's grammar backend enforces a part of the format '${name}'.`
const not = (keyword: string): string => `The engine's grammar backend does not enforce '${keyword}' here.`

/** What each grammar backend does not hold of `STRICT_SCHEMAS`, as it is reported. */
export const NOT_HELD: Readonly<Record<'guidance' | 'xgrammar' | 'other', readonly string[]>> = {
  guidance: [],
  xgrammar: ['email', 'duration', 'hostname'].map(inPart),
  other: [
    ...['maxLength', 'minimum', 'maximum', 'const', 'properties', 'required', 'additionalProperties', 'pattern'].map(
      not,
    ),
    ...[inPart('date'), inPart('date-time')],
    ...['format', 'minItems', 'oneOf', '$ref', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum', 'allOf'].map(not),
  ],
}

/** What guidance and xgrammar do not hold of `TRAP_SCHEMAS`: what no grammar of ours expresses. */
export const TRAPS_NOT_HELD: readonly string[] = ['uniqueItems', 'contains'].map(
  (keyword) => `The keyword '${keyword}' cannot be enforced.`,
)
