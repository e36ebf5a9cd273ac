import fc from 'fast-check'

/** Regular expressions without anchors. */
export const anyPattern = (): fc.Arbitrary<string> =>
  fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'patterns' },
      fc.constantFrom(
        ...['a', 'b', '"', '\\\\', '\\/', '\\n', 'é', '😀', '\\u0041', '\\u{1F600}', '\\ud83d\\ude00', '\\x41', '\\cJ'],
        ...[
          '[a-c]',
          '[^a-c]',
          '[\\w-]',
          '[^\\s"]',
          '[\\]\\\\^]',
          '[-a]',
          '[a-]',
          '\\d',
          '\\D',
          '\\w',
          '\\W',
          '\\s',
          '\\S',
          '.',
        ],
        ...['', '[\\b]', '[^]', '\\t', '\\0', '\\.', '\\$'],
      ),
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => one + other),
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(?:${one}|${other})`),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '+?', '??', '{2,3}?'))
        .map(([one, times]) => `(${one})${times}`),
    ),
  })).pattern
