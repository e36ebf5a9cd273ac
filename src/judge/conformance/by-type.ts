/** The limits for remembered types, and for each of them: a broken server may send any number, of any length. */
const MAX_TYPES = 200
const MAX_TYPE_LENGTH = 200

/** Derives facts from the type of an event, once for each type: most events of all streams have the same few types. */
export function byType<Fact>(read: (type: string) => Fact): (type: string) => Fact {
  const known = new Map<string, Fact>()
  return (type) => {
    const cached = known.get(type)
    if (cached !== undefined) return cached
    const result = read(type)
    if (known.size < MAX_TYPES && type.length <= MAX_TYPE_LENGTH) known.set(type, result)
    return result
  }
}

/**
 * The type as one string for all events of the type. A parsed event has a string of its own, which has to be hashed and
 * compared by its characters wherever it is looked up; this interns it like the names of fields, which are compared by
 * address.
 */
export const internedType: (type: string) => string = byType((type) => Object.keys({ [type]: true })[0] ?? type)
