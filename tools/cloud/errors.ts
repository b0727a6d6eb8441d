/** On an unhandled error, exits with only its message, because the stack doesn't help operators. */
export function endWithMessages(): void {
  process.on("uncaughtException", (error) => {
    console.error(`${error instanceof Error ? error.message : error}`.trim() || "Something went wrong.")
    process.exit(1)
  })
}

/** Keeps Ctrl-C from ending this program before its children, which also receive it. */
export function outliveChildren(): void {
  process.on("SIGINT", () => {})
}
