import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPythonTool, docker, podman } from '../../../../src/endpoint/tools/python/index.js'
import { describeWithBubblewrap } from '../../../support/bubblewrap.js'
import { dockerStandIn, type StandIn } from '../../../support/docker-stand-in.js'
import { contextOf, pythonCall } from './fixtures.js'

/* The command lines, against a program that takes the place of Docker and Podman. No daemon runs where these tests do. */
let standIn: StandIn
const { PATH } = process.env
beforeAll(() => {
  standIn = dockerStandIn()
  process.env['PATH'] = `${standIn.folder}:${PATH}`
})
afterAll(() => {
  process.env['PATH'] = PATH
  standIn.remove()
})

describeWithBubblewrap('in a container', () => {
  test.each([
    ['docker', docker],
    ['podman', podman],
  ] as const)(
    '%s runs each session without a network, rights or a disk, bounded, and removes it',
    async (name, make) => {
      const options = { memoryBytes: 268_435_456, maxProcesses: 24, diskBytes: 8_388_608, maxOpenFiles: 100 }
      const python = await createPythonTool({ boundary: make({ image: 'my/python' }), ...options })
      expect(python.about).toBe(`256 MiB and 24 processes by ${name}`)
      expect((await python.run(pythonCall('6 * 7'), contextOf())).output).toBe('42\n')
      python.close()
      const run =
        'run --rm --interactive --pull never --log-driver none --entrypoint python3 --user 65534:65534 --cap-drop ALL ' +
        '--security-opt no-new-privileges --read-only --network none --ipc private --hostname sandbox --memory 268435456 ' +
        '--memory-swap 268435456 --pids-limit 24 --ulimit nofile=100:100 --ulimit core=0 --shm-size 67108864 --tmpfs ' +
        '/mnt/data:rw,nosuid,nodev,size=8388608,mode=1777 --tmpfs /tmp:rw,nosuid,nodev,size=67108864,mode=1777 --workdir ' +
        '/mnt/data --env HOME=/mnt/data --env LANG=C.UTF-8 --env MPLBACKEND=agg --env OPENBLAS_NUM_THREADS=1 --name SESSION my/python'
      const session = /harmony-python-[\da-f-]{36}/
      await expect.poll(() => standIn.calls(name).length).toBe(5)
      const calls = standIn.calls(name)
      expect(calls.map((line) => line.replace(session, 'SESSION')).sort()).toEqual(
        ['image inspect --format found my/python', 'rm --force SESSION', 'rm --force SESSION', run, run].sort(),
      )
      expect(new Set(calls.flatMap((line) => session.exec(line) ?? [])).size).toBe(2)
    },
  )

  test('has a network of its own where it is asked for', async () => {
    const python = await createPythonTool({ boundary: docker({ image: 'my/python' }), network: true })
    python.close()
    expect(standIn.calls('docker').join('\n')).toContain('--network bridge')
  })
})

describe('an engine of containers that cannot run Python', () => {
  test.each([
    ['absent', 'docker has no image absent: docker pull absent'],
    ['down', 'docker: Cannot connect to the Docker daemon'],
  ])('is refused with what to do: %s', async (image, message) => {
    await expect(createPythonTool({ boundary: docker({ image }) })).rejects.toThrow(message)
  })

  test('an image whose name would be an option is refused', () => {
    expect(() => docker({ image: '--privileged' })).toThrow('docker: expected the name of an image, got "--privileged"')
  })

  test('is refused where its program is not installed', async () => {
    const given = process.env['PATH']
    process.env['PATH'] = '/nowhere'
    try {
      const boundary = podman({ image: 'a' })
      await expect(createPythonTool({ boundary })).rejects.toThrow('podman: not found. Install podman')
    } finally {
      process.env['PATH'] = given
    }
  })
})
