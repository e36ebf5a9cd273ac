import type { Metafile } from 'esbuild'

export declare function buildPage(folder: string, dist?: string): Promise<Metafile>
export declare function buildStaticPage(folder: string): Promise<void>
