/** Ends this program with only the message of an unhandled error, because operators can't use its stack. */
export function endWithMessages(): void {
  process.on("uncaughtException", (error) => {
    console.error(`${error instanceof Error ? error.message : error}`.trim() || "Something went wrong.")
    process.exit(1)
  })
}

/** Keeps Ctrl-C from ending this program before its children, which receive it too. */
export function outliveChildren(): void {
  process.on("SIGINT", () => {})
}
