# The judge, for machines without Node. From the root of a checkout:
#   docker build -f examples/deploy/judge.Dockerfile -t harmony-check .

FROM node:22.23.3-slim AS build
WORKDIR /build
COPY . .
RUN npm ci && npm run build
# Leaves what runs, as package-lock.json has it.
RUN npm prune --omit=dev --omit=peer --omit=optional && rm -r dist/types && find dist -name '*.map' -delete

FROM node:22.23.3-alpine
COPY --from=build /build/package.json /build/LICENSE /app/
COPY --from=build /build/node_modules /app/node_modules
COPY --from=build /build/dist /app/dist
# Where captures are mounted. It only reads them.
WORKDIR /captures
USER node
ENTRYPOINT ["node", "/app/dist/cli/main.js", "check"]
CMD ["--help"]
