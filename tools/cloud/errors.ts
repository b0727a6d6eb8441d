/** Has this program end with the message of an error that nothing else handles: its stack says nothing to an operator. */
export function endWithMessages(): void {
  process.on("uncaughtException", (error) => {
    console.error(`${error instanceof Error ? error.message : error}`.trim() || "Something went wrong.")
    process.exit(1)
  })
}

/** Keeps Ctrl-C from ending this program before the ones that it waits for, which get it, too. */
export function outliveChildren(): void {
  process.on("SIGINT", () => {})
}
