// The compiler demands, for each of these, a descriptor, the kind of its item, and the check of its declaration.
/** The wire form of each built-in tool, by the type with which a request declares it. Each tool's file adds its own. */
// biome-ignore lint/suspicious/noEmptyInterface: the files of the tools add to it, which only an interface allows
export interface BuiltinWires {}
