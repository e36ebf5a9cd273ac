// Imported before zod, which otherwise tries `eval`: the page's policy would report that.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })

export {}
