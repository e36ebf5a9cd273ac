/** A framework of which examples/servers/ has an example. */
export type Framework = 'Express' | 'Fastify' | 'Nest' | 'Next'

export type Frameworks = Readonly<
  Record<
    Framework,
    {
      /** The example, in examples/servers/. */
      readonly file: string
      /** The package that runs it. */
      readonly package: string
      /** The arguments of Node that build it, if it has to be built. */
      readonly build?: readonly string[]
      /** The arguments of Node that start it on a free port. */
      readonly start: readonly string[]
    }
  >
>

export const FRAMEWORKS: Frameworks
export const areInstalled: boolean

export interface Started {
  readonly url: string
  /** What it has printed so far. */
  readonly printed: string
  /** Waits until it has printed a match. @throws Error it has ended without */
  until(pattern: RegExp): Promise<RegExpExecArray>
  signal(name: NodeJS.Signals): void
  /** Kills it. */
  signal(name: NodeJS.Signals): void
  /** Kills it. */
  stop(): Promise<void>
}

/** Starts a program by Node, and waits until it prints its address. */
export function startServer(args: readonly string[], cwd: string): Promise<Started>

/** Starts a program by Node, and waits until it prints its address. */
export function startServer(args: readonly string[], cwd: string): Promise<Started>

export interface Site {
  /** The folder of the unpacked library. */
  readonly library: string
  /** @param options - of Node */
  start(framework: Framework, options?: readonly string[]): Promise<Started>
  remove(): Promise<void>
}

/**
 * Unpacks the packed library and its examples into a folder, and builds those that have to be built.
 *
 * @param model - the file that takes the place of `model.mjs`, which stays as `shipped-model.mjs`
 */
export function createSite(model: string, frameworks: readonly Framework[]): Promise<Site>
