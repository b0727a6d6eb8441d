import { serveCalls } from "@switchyard/core/concurrency/thread-entry"

export const url = import.meta.url

const functions = {
  lengthOf: (text: string) => text.length,
  hang: (): number => {
    for (;;);
  },
  fail: (): number => {
    throw new Error("failed")
  },
  exit: (): number => process.exit(0),
  fill: (): number => {
    const all: number[][] = []
    for (;;) all.push(new Array(1_000_000).fill(all.length))
  },
}
export type AnsweringFunctions = typeof functions

serveCalls(url, functions)
