import { expect, it } from "vitest"
import type { Api } from "../../../../../packages/web/src/api/client.ts"
import { createInputQueue } from "../../../../../packages/web/src/features/terminal/live/input-queue.ts"

interface Sent {
  client_seq: number
  data: string
}

/** Creates an input queue. `answer` decides how the server responds, and `takes` whether a socket accepts the keys. */
function keyboard(answer: (sent: Sent) => void = () => {}, takes: (sent: Sent) => boolean = () => false) {
  const sent: Sent[] = []
  const overSocket: Sent[] = []
  const errors: unknown[] = []
  const call = async (_operation: string, { body }: { body: Sent }) => {
    answer(body)
    sent.push(body)
  }
  const path = { id: "s", pty: "p" }
  const send = async (message: unknown) => overSocket.push(message as Sent) > 0 && takes(message as Sent)
  const deps = { api: { call } as unknown as Api, streams: { send } }
  const queue = createInputQueue(deps, path, "tab", (error) => errors.push(error))
  const text = () => Buffer.concat(sent.map(({ data }) => Buffer.from(data, "base64"))).toString()
  return { ...queue, sent, overSocket, errors, text }
}

it("sends by the socket, and what that didn't take by POST, with the same number and before what comes next", async () => {
  const { type, connect, sent, overSocket, errors } = keyboard(undefined, ({ client_seq }) => client_seq !== 2)
  connect(true)
  type("one")
  type("two")
  await expect.poll(() => sent).toHaveLength(1)
  type("three")
  await expect.poll(() => overSocket).toHaveLength(3)
  const read = ({ client_seq, data }: Sent) => [client_seq, Buffer.from(data, "base64").toString()]
  expect(sent.map(read)).toEqual([[2, "two"]])
  expect(overSocket.map(read)).toEqual([
    [1, "one"],
    [2, "two"],
    [3, "three"],
  ])
  expect(overSocket[0]).toMatchObject({ type: "input", session: "s", pty: "p", client: "tab" })
  expect(errors).toEqual([])
})

it("sends a paste of megabytes in pieces that the API takes, to the letter, and what is typed after it", async () => {
  const { type, connect, sent, errors, text } = keyboard()
  connect(true)
  const paste = "a\u{1f600}ü\n".repeat(700_000)
  type(paste)
  type("and on")
  await expect.poll(text).toBe(`${paste}and on`)
  expect(sent.every(({ data }) => data.length <= 1_000_000)).toBe(true)
  expect(sent.map(({ client_seq }) => client_seq)).toEqual(sent.map((_, index) => index + 1))
  expect(errors).toEqual([])
})

it("says that a piece could not be sent, leaves out the rest of it, and goes on with what is typed next", async () => {
  const { type, connect, errors, text } = keyboard(({ client_seq }) => {
    if (client_seq === 2) throw new Error("no")
  })
  connect(true)
  type("x".repeat(700_000))
  await expect.poll(() => errors).toHaveLength(1)
  expect(text()).toHaveLength(200_000)
  type("next")
  await expect.poll(() => text().slice(200_000)).toBe("next")
})

it("holds what is typed before the terminal is connected", async () => {
  const { type, connect, sent, text } = keyboard()
  type("ca")
  expect(sent).toEqual([])
  connect(true)
  type("t made.txt\n")
  await expect.poll(text).toBe("cat made.txt\n")
})
