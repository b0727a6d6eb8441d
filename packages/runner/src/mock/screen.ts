/**
 * Shows a person who takes over how many characters they have typed, and the end of that text. Exits on Ctrl-C or
 * Ctrl-D.
 */
export async function showScreen(sessionId: string): Promise<number> {
  const { stdin, stdout } = process
  const draw = (typed: string) => {
    const size = `${stdout.columns} x ${stdout.rows}`
    const head = `Mock agent, session ${sessionId}, ${size}\r\n${typed.length} characters typed`
    stdout.write(`\u001b[2J\u001b[1;1H${head}\u001b[4;1H> ${typed.slice(-SHOWN_CHARACTERS)}`)
  }
  stdin.setRawMode?.(true)
  stdout.write("\u001b[?1049h")
  stdin.setEncoding("utf8")
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

const SHOWN_CHARACTERS = 1000
