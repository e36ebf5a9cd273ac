/** The modules in `src/` that package.json exports and runs, and the program of a thread, without `.ts`. */
export const entries: readonly string[]
export declare const pageEntries: readonly string[]
export declare const lookEntries: readonly string[]
