import { pageFiles, pageUsage } from "../pages/page.ts"
import type { Project, Recipe } from "../project.ts"
import { html, source } from "../source.ts"

/** A page that presents something: also what a page becomes whose prompt names no topic that the demo knows. */
export const landing: Recipe = {
  title: "Landing Page",
  words: /\b(landing|portfolio|home ?page|about page|cv|resume)\b/i,
  kind: "page",
  only: "page",
  summary: "A page that says what something is, why it is good, and takes a name and an address.",
  features: () => [
    "A heading, three reasons and a form that checks what is typed",
    "Readable in light and dark, on a phone and on a desk",
  ],
  files: (project) =>
    pageFiles(
      { summary: landing.summary, body: body(project), logic, start, exports: ["checkSignUp"], tests },
      project,
    ),
  usage: (project) => `${pageUsage(project)}\n\nThe words are in \`index.html\`; make them your own.`,
}

function body({ name }: Project): string {
  const title = html(name)
  return source`
    <main>
      <header>
        <h1>${title}</h1>
        <p class="lead">Say in one sentence what ${title} is, and who will be glad that it exists.</p>
      </header>

      <section class="cards" aria-label="Why ${title}">
        <article class="card">
          <h2>Made with care</h2>
          <p>What it does, it does well. Tell here what you never compromise on.</p>
        </article>
        <article class="card">
          <h2>Easy to begin</h2>
          <p>Nothing to learn first. Tell here what the first five minutes are like.</p>
        </article>
        <article class="card">
          <h2>Here to stay</h2>
          <p>Someone answers. Tell here who you are, and since when you do this.</p>
        </article>
      </section>

      <form id="form" class="card" novalidate>
        <h2>Hear from us</h2>
        <label for="name">Your name</label>
        <input id="name" autocomplete="name" aria-describedby="message" />
        <label for="email">Your email address</label>
        <div class="row">
          <input id="email" type="email" autocomplete="email" aria-describedby="message" />
          <button type="submit" class="main">Sign up</button>
        </div>
        <p id="message" class="message" role="status"></p>
      </form>
    </main>
  `
}

const logic = source`
  /** What is wrong with a sign-up, field by field. Nothing is, when there are no fields. */
  export function checkSignUp({ name, email }‹: { name: string; email: string }›)‹: { name?: string; email?: string }› {
    const problems‹: { name?: string; email?: string }› = {}
    if (name.trim() === "") problems.name = "Please tell us your name."
    if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim())) problems.email = "Please check your email address."
    return problems
  }
`

const start = source`
  function start() {
    const name = find‹<HTMLInputElement>›("name")
    const email = find‹<HTMLInputElement>›("email")
    const message = find("message")

    find("form").addEventListener("submit", (event) => {
      event.preventDefault()
      const problems = checkSignUp({ name: name.value, email: email.value })
      name.setAttribute("aria-invalid", String(problems.name !== undefined))
      email.setAttribute("aria-invalid", String(problems.email !== undefined))

      const problem = problems.name ?? problems.email
      if (problem) (problems.name ? name : email).focus()
      // Nothing is sent yet: this is the place to call your own server.
      message.textContent = problem ?? \`Thank you, \${name.value.trim()}.\`
      message.classList.toggle("wrong", problem !== undefined)
    })
  }
`

const tests = source`
  test("accepts a name and an address", () => {
    assert.deepEqual(checkSignUp({ name: "Ada", email: "ada@example.org" }), {})
  })

  test("asks for a name", () => {
    assert.match(checkSignUp({ name: "  ", email: "ada@example.org" }).name ?? "", /your name/)
  })

  test("asks for an address that can be one", () => {
    for (const email of ["", "ada", "ada@example", "a da@example.org", "@example.org"]) {
      assert.match(checkSignUp({ name: "Ada", email }).email ?? "", /email address/)
    }
  })
`
