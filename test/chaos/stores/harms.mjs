import { setTimeout as wait } from 'node:timers/promises'

/** What happens to the server of a store. @param server - returns it */
export function harmsOf(server) {
  return {
    async crash(ms) {
      await server().kill()
      await wait(ms)
      await server().start()
    },
    async restart(ms) {
      await server().stop()
      await wait(ms)
      await server().start()
    },
    async hang(ms) {
      server().pause()
      await wait(ms)
      server().wake()
    },
  }
}
