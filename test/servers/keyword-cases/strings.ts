import { closed, json, type KeywordCases, type Schema } from './keyword-case.js'

const string = (more: Schema = {}): Schema => ({ type: 'string', ...more })
const pattern = (source: string, more: Schema = {}): Schema => string({ pattern: source, ...more })

/** Raw control characters, escapes that JSON does not have, and a string without its end. */
const NO_TEXT = ['"a\u0001"', '"a\n"', '"\t"', '"\u0000"', '"\\x"', '"\\u12"', '"a', 'a"', "'a'", '"a"b"']

/** Strings: their characters, lengths and patterns. */
export const STRINGS: KeywordCases = {
  'any string': {
    schema: string(),
    right: json('', 'größe 🌦️', 'a "b" \\ c/d', '\n\t\r\b\f', '\u007f\u2028'),
    wrong: { type: json(1, null, true, {}, ['a']), text: NO_TEXT },
  },
  'a string in an object': {
    schema: { type: 'object', properties: { a: string() }, required: ['a'], additionalProperties: false },
    right: json({ a: 'x"y' }),
    wrong: { type: json({ a: 1 }), text: ['{"a":"\u0001"}', '{"a":"b}', '{"a":"\n"}'] },
  },
  'short lengths': {
    schema: string({ minLength: 2, maxLength: 4 }),
    right: json('ab', 'größ', '😀😀', 'a"b', '\\\\', '日本語'),
    wrong: {
      minLength: json('', 'a', '😀', '"', '\\'),
      maxLength: json('abcde', '😀😀😀😀😀', 'a\nb\nc'),
      text: ['"ab\u0001"', '"a\n"', '"a\tb"', '"\u0000\u0000"'],
    },
  },
  'the length of nothing': {
    schema: string({ maxLength: 0 }),
    right: json(''),
    wrong: { maxLength: json('a', '"', '\n'), text: ['"\u0001"'] },
  },
  'a least length alone': {
    schema: string({ minLength: 1 }),
    right: json('a', 'größe 🌦️', 'a'.repeat(300)),
    wrong: { minLength: json(''), text: ['"\u0001"', '"\t"', '"a\u001fb"'] },
  },
  'long lengths': {
    schema: string({ minLength: 60, maxLength: 200 }),
    right: json('a'.repeat(60), '😀'.repeat(99), 'ß'.repeat(200)),
    wrong: {
      minLength: json('a'.repeat(59), '😀'.repeat(30)),
      maxLength: json('a'.repeat(201), '😀'.repeat(201)),
      text: [`"${'a'.repeat(70)}\u0001"`, `"${'a'.repeat(70)}\t"`],
    },
  },
  'lengths that are too long to be counted': {
    schema: string({ minLength: 501, maxLength: 1000 }),
    right: json('a'.repeat(501), 'a'.repeat(1000)),
    wrong: { minLength: json('a'), maxLength: json('a'.repeat(1001)), text: [`"${'a'.repeat(600)}\u0001"`] },
  },
  'contrary lengths': {
    schema: string({ minLength: 3, maxLength: 2 }),
    right: [],
    wrong: { minLength: json('ab'), maxLength: json('abc'), text: ['"\u0001\u0001\u0001"'] },
  },
  'a pattern of the whole': {
    schema: pattern('^[A-Z]{2}-[0-9]{2,3}$'),
    right: json('AB-12', 'AB-123'),
    wrong: { pattern: json('', 'ab-12', 'AB-1', 'AB-1234', 'AB-12\n', 'xAB-12'), text: ['"AB-12'] },
  },
  'a pattern of a part': {
    schema: pattern('b+'),
    right: json('b', 'abba', 'xbx', 'ä b "'),
    wrong: { pattern: json('', 'a', 'cd'), text: ['"b\u0001"', '"b\n"', '"b"b"'] },
  },
  'a pattern of the beginning': {
    schema: pattern('^ab'),
    right: json('ab', 'abc', 'ab"'),
    wrong: { pattern: json('', 'a', 'cab'), text: ['"ab\u0001"', '"ab"ab"'] },
  },
  'a pattern of the end': {
    schema: pattern('ab$'),
    right: json('ab', 'cab', '"ab'),
    wrong: { pattern: json('', 'b', 'abc'), text: ['"\u0001ab"', '"x"ab"'] },
  },
  'a pattern of either': {
    schema: pattern('^a$|^bc$'),
    right: json('a', 'bc'),
    wrong: { pattern: json('b', 'abc', 'ac', '') },
  },
  'a pattern of either part': {
    schema: pattern('^a|b$'),
    right: json('a', 'b', 'ax', 'xb'),
    wrong: { pattern: json('', 'xa', 'bx') },
  },
  'a pattern of all but one character': {
    schema: pattern('^[^a]*$'),
    right: json('', 'b', 'größe', 'x y'),
    wrong: { pattern: json('a', 'bab'), text: ['"b\u0001"', '"b\n"', '"b"b"', '"\\"', '"\\x"'] },
  },
  'a pattern of all but one character, with quotes': {
    schema: pattern('^[^a]{3}$'),
    right: json('b"b', 'b\\b', 'b\nb'),
    wrong: { pattern: json('bab', 'bb'), text: ['"b"b"', '"b\nb"', '"b\\b"x'] },
  },
  'a pattern of any character': {
    schema: pattern('^a.c$'),
    right: json('abc', 'aßc', 'a😀c'),
    wrong: { pattern: json('ac', 'abbc', 'a\nc'), text: ['"a\u0001c"', '"a"c"', '"a\nc"', '"a\\c"'] },
  },
  'a pattern of a quote': {
    schema: pattern('^"x"$'),
    right: json('"x"'),
    wrong: { pattern: json('x', '"x', 'x"'), text: ['""x""'] },
  },
  'a pattern of a backslash': {
    schema: pattern('^a\\\\b$'),
    right: json('a\\b'),
    wrong: { pattern: json('ab', 'a\\\\b', 'a/b'), text: ['"a\\b'] },
  },
  'a pattern of a line break': {
    schema: pattern('^a\\nb$'),
    right: json('a\nb'),
    wrong: { pattern: json('ab', 'a\tb', 'anb'), text: ['"a\nb"'] },
  },
  'a pattern of classes': {
    schema: pattern('^\\d\\w\\s\\D\\W\\S$'),
    right: json('1a b-c'),
    wrong: { pattern: json('aa b-c', '1- b-c', '1aab-c', '1a 1-c', '1a bbc', '1a b- '), text: ['"1a\tb-c"'] },
  },
  'a pattern of a blank': {
    schema: pattern('^a\\sb$'),
    right: json('a b', 'a\tb', 'a\u00a0b'),
    wrong: { pattern: json('ab', 'axb'), text: ['"a\tb"', '"a\nb"'] },
  },
  'a pattern beyond ASCII': {
    schema: pattern('^[а-яё]{2}é😀?$'),
    right: json('ёжé', 'даé😀'),
    wrong: { pattern: json('даe', 'даe\u0301', 'дé', 'даé😀😀', 'даé🌦') },
  },
  'a pattern of characters by number': {
    schema: pattern('^\\u0041\\x42[\\u0430-\\u044f]$'),
    right: json('ABж'),
    wrong: { pattern: json('ABё', 'ab', 'u0041x42a') },
  },
  'a pattern of special characters': {
    schema: pattern('^\\/\\.\\*-[.*\\]\\-]$'),
    right: json('/.*--', '/.*-]', '/.*-.'),
    wrong: { pattern: json('/a*--', '/.*-a', '/.--.', '/.*-\\') },
  },
  'a pattern of repetitions': {
    schema: pattern('^(?:ab{2,}?|c+?){1,2}d{0,1}$'),
    right: json('abb', 'abbbc', 'ccd', 'abbabb'),
    wrong: { pattern: json('ab', '', 'd', 'abbdd', 'abbabbabb') },
  },
  'a pattern of control characters by number': {
    schema: pattern('^a[\\u0001-\\u0030]b$'),
    right: json('a b', 'a\tb', 'a"b', 'a0b'),
    wrong: { pattern: json('ab', 'a1b'), text: ['"a\tb"', '"a\u0001b"', '"a"b"'] },
  },
  'a pattern of quotes by number': {
    schema: pattern('^a\\u0022\\x22b$'),
    right: json('a""b'),
    wrong: { pattern: json('ab', 'a"b'), text: ['"a""b"'] },
  },
  'a pattern of printable characters': {
    schema: pattern('^[ -~]{2}$'),
    right: json('a ', '""', '\\"'),
    wrong: { pattern: json('a', 'aé', 'a\t'), text: ['"a\t"', '"a""', '"a\\"'] },
  },
  'a pattern of nothing': {
    schema: pattern('^$'),
    right: json(''),
    wrong: { pattern: json('a', '"'), text: ['"\u0001"'] },
  },
  'a pattern of choices': {
    schema: pattern('^(?:a|b|(c|d)e)+$'),
    right: json('a', 'bce', 'de'),
    wrong: { pattern: json('c', '', 'ad') },
  },
  'a narrow pattern beside a long length': {
    schema: closed({ a: pattern('^[^/]+$'), b: string({ maxLength: 100 }) }),
    right: json({ a: 'x', b: 'y' }),
    wrong: {
      pattern: json({ a: 'x/', b: 'y' }, { a: '', b: 'y' }),
      maxLength: json({ a: 'x', b: 'y'.repeat(101) }),
      text: ['{"a":"\u0001","b":""}', '{"a":"x","b":"\t"}', '{"a":"x"y","b":""}'],
    },
  },
  'a pattern of a part beside a long length': {
    schema: closed({ a: pattern('"b"'), b: string({ maxLength: 100 }) }),
    right: json({ a: 'x"b"', b: 'y' }),
    wrong: {
      pattern: json({ a: 'x/', b: 'y' }),
      maxLength: json({ a: '"b"', b: 'y'.repeat(101) }),
      text: ['{"a":""b"","b":""}', '{"a":"x","b":"\t"}'],
    },
  },
  'the empty pattern': {
    schema: pattern(''),
    right: json('', 'a', 'a"b'),
    wrong: { type: json(1), text: ['"\u0001"', '"a"b"'] },
  },
  'a pattern that looks ahead': {
    schema: pattern('^(?=a)[a-c]$'),
    right: json('a'),
    wrong: { pattern: json('b', 'd', ''), text: ['"a\u0001"'] },
  },
  'a pattern that looks ahead for what must not come': {
    schema: pattern('^(?!ab)[a-c]+$'),
    right: json('ac', 'b'),
    wrong: { pattern: json('ab', 'abc', 'd') },
  },
  'a pattern that refers to a group': {
    schema: pattern('^(a|b)\\1$'),
    right: json('aa', 'bb'),
    wrong: { pattern: json('ab', 'ba') },
  },
  'a pattern with a named group': {
    schema: pattern('^(?<x>a)b$'),
    right: json('ab'),
    wrong: { pattern: json('a', 'xab') },
  },
  'a pattern of ends of words': {
    schema: pattern('^a\\b.b$'),
    right: json('a b'),
    wrong: { pattern: json('aab') },
  },
  'a pattern of properties of characters': {
    schema: pattern('^\\p{Lu}$'),
    right: json('A', 'Ä'),
    wrong: { pattern: json('a', 'p', '1', 'p{Lu}') },
  },
  'a pattern beside a length': {
    schema: pattern('^[a-c]+$', { maxLength: 4, minLength: 2 }),
    right: json('ab', 'abca'),
    wrong: { pattern: json('abd', 'a\n'), minLength: json('a'), maxLength: json('abcab'), text: ['"ab\u0001"'] },
  },
  'a pattern beside a long length': {
    schema: pattern('^[a-c]+$', { maxLength: 100 }),
    right: json('ab', 'a'.repeat(100)),
    wrong: { pattern: json('abd', '', 'd'.repeat(9)), maxLength: json('a'.repeat(101)), text: ['"ab\u0001"', '"\t"'] },
  },
  'a pattern beside a format': {
    schema: pattern('^2', { format: 'date' }),
    right: json('2024-02-29'),
    wrong: { pattern: json('1999-01-01'), format: json('2', '2024-02-30', '2x') },
  },
  'a format beside a length': {
    schema: string({ format: 'uuid', maxLength: 36 }),
    right: json('123e4567-e89b-12d3-a456-426614174000'),
    wrong: { format: json('', 'abc', 'x'.repeat(36)), text: ['"\u0001"'] },
  },
}
