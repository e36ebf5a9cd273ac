import { json, type KeywordCases, type Schema } from './keyword-case.js'

const integer = (more: Schema = {}): Schema => ({ type: 'integer', ...more })
const number = (more: Schema = {}): Schema => ({ type: 'number', ...more })

/** Numbers that JSON does not have. */
const NO_NUMBER = ['01', '+1', '1.', '.5', '-', '1e', '0x1', 'NaN', 'Infinity', '--1', '1_0', '00', '-01']

/** Numbers: their spelling and bounds. */
export const NUMBERS: KeywordCases = {
  'any integer': {
    schema: integer(),
    right: json(0, -1, 42, 12345678901234),
    wrong: { type: json(1.5, '1', null, true), text: NO_NUMBER },
  },
  'any number': {
    schema: number(),
    right: [...json(0, -1, 1.5, -0.25), '1e5', '1.5E-3', '1e+30'],
    wrong: { type: json('1', null, []), text: NO_NUMBER },
  },
  'an integer between two': {
    schema: integer({ minimum: 37, maximum: 1234 }),
    right: json(37, 38, 99, 100, 999, 1000, 1234),
    wrong: { minimum: json(36, 0, -37, -100, 9), maximum: json(1235, 9999, 10000, 2000), text: ['037', '+40', '1e'] },
  },
  'an integer between two strictly': {
    schema: integer({ exclusiveMinimum: -3, exclusiveMaximum: 10 }),
    right: json(-2, 0, 9),
    wrong: { exclusiveMinimum: json(-3, -4, -20), exclusiveMaximum: json(10, 11, 99), text: ['09'] },
  },
  'a negative integer': {
    schema: integer({ minimum: -120, maximum: -12 }),
    right: json(-12, -99, -100, -120),
    wrong: { minimum: json(-121, -200, -1000), maximum: json(-11, -1, 0, 12, 50) },
  },
  'an integer from a fraction': {
    schema: integer({ minimum: 0.5, maximum: 2.5 }),
    right: json(1, 2),
    wrong: { minimum: json(0, -1), maximum: json(3, 10) },
  },
  'a large integer': {
    schema: integer({ minimum: 5, maximum: 9007199254740991 }),
    right: json(5, 9007199254740991, 1e15),
    wrong: { minimum: json(4, -5), maximum: ['9007199254740993', '90071992547409910'] },
  },
  'an integer with both kinds of bounds': {
    schema: integer({ minimum: 3, exclusiveMinimum: 5, maximum: 9, exclusiveMaximum: 9 }),
    right: json(6, 8),
    wrong: { exclusiveMinimum: json(5, 4), minimum: json(2), exclusiveMaximum: json(9), maximum: json(10) },
  },
  'a number between two': {
    schema: number({ minimum: -1, maximum: 1 }),
    right: json(-1, 0, 0.5, -0.25, 1, 0.999),
    wrong: { minimum: json(-1.5, -2, -1.0001, -10), maximum: [...json(1.01, 2, 10, 1.5), '1.0001', '1e1'] },
  },
  'a number between two strictly': {
    schema: number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }),
    right: json(0.5, 0.001, 0.999),
    wrong: {
      exclusiveMinimum: [...json(0, -0.5), '-0', '0.0', '-0.0'],
      exclusiveMaximum: [...json(1, 1.5), '1.0', '1e0'],
    },
  },
  'a number between fractions': {
    schema: number({ minimum: 0.25, maximum: 12.75 }),
    right: json(0.25, 0.3, 1, 12, 12.75, 12.7),
    wrong: { minimum: json(0.2, 0, 0.249, -1), maximum: json(12.76, 12.8, 13, 100) },
  },
  'a number from one up': {
    schema: number({ minimum: 1.5 }),
    right: json(1.5, 2, 1e3, 1.75),
    wrong: { minimum: [...json(1.4, 1, 0, -2), '1e0', '15e-1000'] },
  },
  'a number up to one': {
    schema: number({ maximum: -0.5 }),
    right: json(-0.5, -1, -100.25),
    wrong: { maximum: json(-0.4, 0, 1, -0.25) },
  },
  'an integer beyond 64 bits': {
    schema: integer({ minimum: 0, maximum: 1e20 }),
    right: json(0, 12345),
    wrong: { minimum: json(-1), maximum: ['1000000000000000000000'] },
  },
  'no integer between two': {
    schema: integer({ exclusiveMinimum: 3, exclusiveMaximum: 4 }),
    right: [],
    wrong: { exclusiveMinimum: json(3), exclusiveMaximum: json(4) },
  },
  'no number between two': {
    schema: number({ exclusiveMinimum: 3, maximum: 3 }),
    right: [],
    wrong: { exclusiveMinimum: json(3), maximum: json(4) },
  },
  'small bounds': {
    schema: number({ minimum: 1e-7, maximum: 1e-6 }),
    right: ['0.0000005', '0.000001'],
    wrong: { minimum: json(0, -1), maximum: json(1, 0.1) },
  },
  'contrary bounds': {
    schema: integer({ minimum: 5, maximum: 3 }),
    right: [],
    wrong: { minimum: json(3, 4), maximum: json(5, 4) },
  },
  'multiples of an integer': {
    schema: integer({ multipleOf: 3, minimum: 0, maximum: 30 }),
    right: json(0, 3, 27, 30),
    wrong: { multipleOf: json(1, 2, 29), minimum: json(-3), maximum: json(33) },
  },
  'multiples of a fraction': {
    schema: number({ multipleOf: 0.5, minimum: 0, maximum: 9 }),
    right: json(0, 0.5, 8.5),
    wrong: { multipleOf: json(0.25, 1.1), minimum: json(-0.5), maximum: json(9.5) },
  },
  'bounds of a number or null': {
    schema: { type: ['integer', 'null'], minimum: 1, maximum: 9 },
    right: json(1, 9, null),
    wrong: { minimum: json(0, -1), maximum: json(10), type: json('1', true, 1.5) },
  },
  'bounds without a type': {
    schema: { minimum: 3 },
    right: json(3, 'a', null, [1]),
    wrong: { minimum: json(2, -3) },
  },
}
