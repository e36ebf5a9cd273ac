import { choice, type Expression, type Grammar, repeat, rule, sequence } from './expression.js'

/** llama.cpp refuses a repetition of 2,000 or more, so longer ones are composed of these. */
const MAX_LENGTH = 1000

/** The rules of a grammar under construction. */
export interface Rules {
  readonly all: ReadonlyMap<string, Expression>
  /** The size of all expressions in nodes: parts, ranges of characters, and one for each eight characters of a text. */
  readonly nodes: number
  /** Creates a rule for an expression. */
  add(prefix: string, expression: Expression): Expression
  /** Creates a rule once for each key. A rule that is requested during its own creation refers to itself. */
  once(key: string, prefix: string, make: () => Expression): Expression
  /** Reserves a name for a rule that `set` defines later. */
  reserve(prefix: string): string
  set(name: string, expression: Expression): Expression
  /** Repeats an expression in a form that llama.cpp accepts. */
  times(of: Expression, min: number, max: number): Expression
  /** Refers to rules that grammars share. They are not in `all`, and their nodes count once. */
  include(shared: SharedRules): Expression
  readonly included: ReadonlySet<SharedRules>
}

/** Rules that are the same in every grammar that uses them: created by `shared-rules.ts`. */
export interface SharedRules {
  /** The name of the rule that others refer to. Neither {@link Rules} nor the other shared rules use it. */
  readonly name: string
  readonly all: Grammar
  /** The rules that they refer to. */
  readonly included: ReadonlySet<SharedRules>
  readonly nodes: number
  /** The rules as GBNF. */
  readonly gbnf: string
}

/** @param owner - prefixes the numbered rules, in place of a word, so that their names are unique among grammars */
export function createRules(owner?: string): Rules {
  const all = new Map<string, Expression>()
  const made = new Map<string, Expression>()
  const included = new Set<SharedRules>()
  let nodes = 0

  function set(name: string, expression: Expression): Expression {
    all.set(name, expression)
    nodes += nodesIn(expression)
    return rule(name)
  }

  function reserve(prefix: string): string {
    const name = owner === undefined ? `${prefix}-${all.size}` : `${owner}${all.size}`
    all.set(name, sequence([]))
    return name
  }

  const add = (prefix: string, expression: Expression): Expression =>
    expression.kind === 'rule' ? expression : set(reserve(prefix), expression)

  function times(of: Expression, min: number, max: number): Expression {
    // A rule of its own, because llama.cpp multiplies a repetition with the whole content of the repeated group.
    const item = of.kind === 'class' || (min === 0 && max === 1) ? of : add('item', of)
    if (max === Number.POSITIVE_INFINITY) {
      return min <= MAX_LENGTH ? repeat(item, min, max) : sequence([times(item, min, min), repeat(item, 0, max)])
    }
    if (max <= MAX_LENGTH) return repeat(item, min, max)
    const many = add('many', repeat(item, MAX_LENGTH, MAX_LENGTH))
    const required = sequence([
      times(many, Math.floor(min / MAX_LENGTH), Math.floor(min / MAX_LENGTH)),
      exactly(min % MAX_LENGTH),
    ])
    const whole = Math.floor((max - min) / MAX_LENGTH)
    // Derives each number of items in one way only: otherwise a sampler keeps thousands of ways at once.
    const fewer = sequence([times(many, 0, whole - 1), repeat(item, 0, MAX_LENGTH - 1)])
    const fullest = sequence([times(many, whole, whole), repeat(item, 0, (max - min) % MAX_LENGTH)])
    return sequence([required, whole === 0 ? fullest : choice([fewer, fullest])])

    function exactly(count: number): Expression {
      return repeat(item, count, count)
    }
  }

  return {
    all,
    get nodes() {
      return nodes
    },
    add,
    once(key, prefix, make) {
      const known = made.get(key)
      if (known !== undefined) return known
      const name = reserve(prefix)
      made.set(key, rule(name))
      return set(name, make())
    },
    reserve,
    set,
    times,
    include(shared) {
      for (const each of [...shared.included, shared]) {
        if (!included.has(each)) nodes += each.nodes
        included.add(each)
      }
      return rule(shared.name)
    },
    included,
  }
}

function nodesIn(expression: Expression): number {
  switch (expression.kind) {
    case 'text':
      return 1 + (expression.text.length >> 3)
    case 'class':
      return expression.ranges.length
    case 'rule':
      return 1
    case 'repeat':
      return 1 + nodesIn(expression.of)
    default: {
      let nodes = 1
      for (const part of expression.of) nodes += nodesIn(part)
      return nodes
    }
  }
}
