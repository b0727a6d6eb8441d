import { find } from "../page/elements.ts"
import { checkSignUp } from "./sign-up.ts"

function start() {
  const name = find<HTMLInputElement>("name")
  const email = find<HTMLInputElement>("email")
  const message = find("message")

  find("form").addEventListener("submit", (event) => {
    event.preventDefault()
    const problems = checkSignUp({ name: name.value, email: email.value })
    name.setAttribute("aria-invalid", String(problems.name !== undefined))
    email.setAttribute("aria-invalid", String(problems.email !== undefined))

    const problem = problems.name ?? problems.email
    if (problem) (problems.name ? name : email).focus()
    // Nothing is sent yet: this is the place to call your own server.
    message.textContent = problem ?? `Thank you, ${name.value.trim()}.`
    message.classList.toggle("wrong", problem !== undefined)
  })
}

if (typeof document !== "undefined") start()
