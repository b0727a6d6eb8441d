/** The mock agent's own screen, for a person who takes over: shows what is typed, and leaves at Ctrl-C or Ctrl-D. */
export async function showScreen(sessionId: string): Promise<number> {
  const { stdin, stdout } = process
  const draw = (typed: string) => {
    const size = `${stdout.columns} x ${stdout.rows}`
    stdout.write(`\u001b[2J\u001b[1;1HMock agent, session ${sessionId}, ${size}\u001b[3;1H> ${typed}`)
  }
  stdin.setRawMode?.(true)
  stdout.write("\u001b[?1049h")
  let typed = ""
  draw(typed)
  stdout.on("resize", () => draw(typed))
  for await (const chunk of stdin) {
    typed += chunk
    if (typed.includes("\u0003") || typed.includes("\u0004")) break
    draw(typed)
  }
  stdout.write("\u001b[?1049l")
  return 0
}
