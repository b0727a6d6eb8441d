# A session's runner with the agents that it starts. The runner is root, agents are `agent`. `npm run image` builds it from
# nothing but Debian's and npm's registries, and puts it to work. docs/agents.md has more.
ARG BASE=node:24-bookworm-slim
FROM ${BASE}

COPY tools/image/system.sh /build/tools/image/
RUN sh /build/tools/image/system.sh

# Before the product's own files, which change more often. A pin is moved in packages/core/src/clis, and a test holds these
# to it; what lies where in a package, and that no script of one runs, is what the runner does on any other machine.
COPY packages/runner/src/programs/npm-install.ts packages/runner/src/programs/npm-program.ts /build/packages/runner/src/programs/
COPY tools/image/agent.ts /build/tools/image/
ARG AGENTS="claude codex gemini qwen opencode"
RUN node /build/tools/image/agent.ts claude 2.1.330
RUN node /build/tools/image/agent.ts codex 0.169.0
RUN node /build/tools/image/agent.ts gemini 0.61.0
RUN node /build/tools/image/agent.ts qwen 0.24.4
RUN node /build/tools/image/agent.ts opencode 1.18.33

WORKDIR /opt/switchyard
COPY package.json package-lock.json ./
COPY packages/cli/package.json packages/cli/
COPY packages/client/package.json packages/client/
COPY packages/core/package.json packages/core/
COPY packages/demo-model/package.json packages/demo-model/
COPY packages/functions/package.json packages/functions/
COPY packages/runner/package.json packages/runner/
COPY packages/web/package.json packages/web/
COPY tools/image/dependencies.sh /build/tools/image/
RUN sh /build/tools/image/dependencies.sh
COPY packages/core/src packages/core/src
COPY packages/runner/src packages/runner/src

# Whom agents run as. It can read none of what the runner has: not its environment, not its data, no other account's home.
ENV SWITCHYARD_AGENT_USER=agent
# Reaps what agents leave behind, and passes signals on.
ENTRYPOINT ["tini", "--"]
CMD ["node", "packages/runner/src/main.ts"]
