/** Counts work, in nodes of a grammar. False if it is too much: then it is not to be done. */
export type Spend = (nodes: number) => boolean

/** So many nodes are the work of one slice. */
export const SLICE = 1_000

/** So many looks at a range of characters are the work of a node. */
const LOOKS = 3
/** What a state takes beside them, in nodes. */
const OF_STATE = 3

/** What it takes to make a state of an automaton. @param looks - at ranges of characters */
export function nodesOfState(looks: number): number {
  return OF_STATE + Math.ceil(looks / LOOKS)
}
