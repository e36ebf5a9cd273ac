/** Counts work, in nodes of a grammar. Returns false if it is too much and must not be done. */
export type Spend = (nodes: number) => boolean

/** The number of nodes in one slice. */
export const SLICE = 1_000

/** The number of visited character ranges that cost as much as a node. */
const LOOKS = 3
/** The additional cost of a state, in nodes. */
const OF_STATE = 3

/** Returns the cost of creating a state of an automaton. @param looks - the visited character ranges */
export function nodesOfState(looks: number): number {
  return OF_STATE + Math.ceil(looks / LOOKS)
}
