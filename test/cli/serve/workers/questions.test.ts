import { expect, test } from 'vitest'
import type { AdminQuestion } from '../../../../src/cli/serve/workers/messages.js'
import { createQuestions, type QuestionedWorker } from '../../../../src/cli/serve/workers/questions.js'

const SNAPSHOT = { about: 'snapshot' } as const

/** A worker that keeps what it is asked. */
class Kept implements QuestionedWorker {
  readonly asked: { readonly id: number; readonly question: AdminQuestion }[] = []
  answer(id: number, question: AdminQuestion): void {
    this.asked.push({ id, question })
  }
}

test('a question has the answers of all workers, each once, and not those to another question', async () => {
  const questions = createQuestions<Kept>()
  const [one, other] = [new Kept(), new Kept()]
  const first = questions.ask([one, other], SNAPSHOT)
  const second = questions.ask([one], { about: 'cancel', responseId: 'resp_1' })
  expect(one.asked).toEqual([
    { id: 1, question: SNAPSHOT },
    { id: 2, question: { about: 'cancel', responseId: 'resp_1' } },
  ])
  questions.take(one, 2, null)
  questions.take(one, 1, 'a')
  questions.take(one, 1, 'again')
  questions.take(other, 2, 'not asked')
  questions.take(other, 1, 'b')
  expect([await first, await second]).toEqual([['a', 'b'], [null]])
})

test('a worker that has ended is not waited for, and none at all has no answers', async () => {
  const questions = createQuestions<Kept>()
  const [one, other] = [new Kept(), new Kept()]
  const asked = questions.ask([one, other], SNAPSHOT)
  questions.take(one, 1, 'a')
  questions.remove(other)
  expect(await asked).toEqual(['a'])
  expect(await questions.ask([], SNAPSHOT)).toEqual([])
})

test('a worker that does not answer in time is left out, and its late answer goes nowhere', async () => {
  const questions = createQuestions<Kept>()
  const [one, silent] = [new Kept(), new Kept()]
  const asked = questions.ask([one, silent], SNAPSHOT)
  questions.take(one, 1, 'a')
  expect(await asked).toEqual(['a'])
  questions.take(silent, 1, 'late')
  expect(await asked).toEqual(['a'])
})
