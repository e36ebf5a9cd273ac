import { closed, json, type KeywordCases, type Schema } from './keyword-case.js'

const INTEGER = { type: 'integer' } as const
const BOOLEAN = { type: 'boolean' } as const
const array = (more: Schema): Schema => ({ type: 'array', ...more })

/** Arrays: their items and numbers of items. */
export const ARRAYS: KeywordCases = {
  'any array': {
    schema: array({}),
    right: [...json([], [1], ['a', null]), '[1, 2]'],
    wrong: { type: json({}, 'a', null), text: ['[1,]', '[,1]', '[1 2]', '[', '[01]', '["\u0001"]'] },
  },
  items: {
    schema: array({ items: INTEGER }),
    right: json([], [1], [1, 2, 3]),
    wrong: { items: json(['a'], [1, null], [1, 2, 1.5]), text: ['[1,]', '[1 2]', '[,]', '[01]'] },
  },
  'no items': {
    schema: array({ items: false }),
    right: json([]),
    wrong: { items: json([1], [null]) },
  },
  'items without a type': {
    schema: { items: INTEGER },
    right: json([], [1]),
    wrong: { items: json(['a']) },
  },
  'numbers of items': {
    schema: array({ items: BOOLEAN, minItems: 2, maxItems: 4 }),
    right: json([true, false], [true, true, true, true]),
    wrong: { minItems: json([], [true]), maxItems: json([true, true, true, true, true]), items: json([1, 2]) },
  },
  'many items': {
    schema: array({ items: BOOLEAN, minItems: 15, maxItems: 30 }),
    right: json(Array(15).fill(true), Array(30).fill(true)),
    wrong: { minItems: json(Array(14).fill(true)), maxItems: json(Array(31).fill(true)) },
  },
  'no items by number': {
    schema: array({ items: BOOLEAN, maxItems: 0 }),
    right: json([]),
    wrong: { maxItems: json([true]) },
  },
  'contrary numbers of items': {
    schema: array({ items: BOOLEAN, minItems: 2, maxItems: 1 }),
    right: [],
    wrong: { minItems: json([true], []), maxItems: json([true, true]) },
  },
  'numbers of any items': {
    schema: array({ minItems: 1, maxItems: 2 }),
    right: json([1], ['a', null]),
    wrong: { minItems: json([]), maxItems: json([1, 2, 3]) },
  },
  'a tuple': {
    schema: array({ prefixItems: [INTEGER, { type: 'string' }], items: false, minItems: 2 }),
    right: json([1, 'a']),
    wrong: { minItems: json([], [1]), items: json([1, 'a', 1]), prefixItems: json(['a', 1], [1, 2]) },
  },
  'a tuple with fewer items': {
    schema: array({ prefixItems: [INTEGER, { type: 'string' }], items: false }),
    right: json([1, 'a'], [1], []),
    wrong: { items: json([1, 'a', 1]), prefixItems: json(['a'], [1, 2]) },
  },
  'a tuple with more items': {
    schema: array({ prefixItems: [INTEGER, BOOLEAN], items: { type: 'string' } }),
    right: json([1, true], [1, true, 'a'], [1, true, 'a', 'b']),
    wrong: { items: json([1, true, 1]), prefixItems: json(['a', true]) },
  },
  'a tuple that is open': {
    schema: array({ prefixItems: [INTEGER] }),
    right: json([1], [1, 'a']),
    wrong: { prefixItems: json(['a'], [null, 1]) },
  },
  'a tuple with too few items allowed': {
    schema: array({ prefixItems: [INTEGER, BOOLEAN], items: false, maxItems: 1 }),
    right: json([1], []),
    wrong: { maxItems: json([1, true]), prefixItems: json(['a']) },
  },
  'a tuple with numbers of items': {
    schema: array({ prefixItems: [INTEGER], items: BOOLEAN, minItems: 2, maxItems: 3 }),
    right: json([1, true], [1, true, false]),
    wrong: {
      minItems: json([1], []),
      maxItems: json([1, true, true, true]),
      items: json([1, 2]),
      prefixItems: json([true, true]),
    },
  },
  'different items': {
    schema: array({ items: { enum: ['a', 'b', 'c'] }, uniqueItems: true, maxItems: 3 }),
    right: json([], ['a'], ['a', 'b']),
    wrong: { uniqueItems: json(['a', 'a'], ['a', 'b', 'a']), enum: json(['d']), maxItems: json(['a', 'b', 'c', 'a']) },
  },
  'an item among others': {
    schema: array({ items: { enum: ['a', 'b'] }, contains: { const: 'b' } }),
    right: json(['b'], ['a', 'b']),
    wrong: { contains: json([], ['a'], ['a', 'a']), enum: json(['b', 'c']) },
  },
  'several items among others': {
    schema: array({ items: { enum: ['a', 'b'] }, contains: { const: 'b' }, minContains: 2, maxContains: 3 }),
    right: json(['b', 'b'], ['b', 'a', 'b', 'b']),
    wrong: { contains: json(['a'], ['b', 'a'], ['b', 'b', 'b', 'b']) },
  },
  'items that nothing evaluated': {
    schema: array({ prefixItems: [INTEGER], unevaluatedItems: false, minItems: 1 }),
    right: json([1]),
    wrong: { unevaluatedItems: json([1, 2]), minItems: json([]), prefixItems: json(['a']) },
  },
  'arrays in arrays': {
    schema: array({ items: array({ items: INTEGER, maxItems: 2 }), maxItems: 2 }),
    right: json([], [[]], [[1, 2], [3]]),
    wrong: { maxItems: json([[1, 2, 3]], [[], [], []]), items: json([1], [['a']]) },
  },
  'objects in arrays': {
    schema: array({ items: closed({ n: { type: 'string', maxLength: 2 }, f: BOOLEAN }, ['n']), minItems: 1 }),
    right: json([{ n: 'a' }], [{ n: 'ab', f: true }, { n: '' }]),
    wrong: {
      minItems: json([]),
      required: json([{ f: true }], [{ n: '' }, {}]),
      maxLength: json([{ n: 'abc' }]),
      additionalProperties: json([{ n: '', x: 1 }]),
      text: ['[{"n":"\u0001"}]'],
    },
  },
}
