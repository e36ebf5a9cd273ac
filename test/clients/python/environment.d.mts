/** The file of a client's packages, with their versions. */
export function requirementsOf(client: string): string

/** The interpreter of a client's environment, which is made if it is not there yet. @throws Error if it cannot be made */
export function environment(client: string): Promise<string>
