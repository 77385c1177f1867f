import type { McpServerStatus } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import { MCPService } from './mcp-service.ts';

const STDIO = { command: 'docs-server', args: ['--stdio'], env: { TOKEN: 'dummy' } };
const HTTP = { type: 'http', url: 'https://mcp.example/', headers: { Authorization: 'dummy' } };

describe('MCPService', () => {
  it('hands servers to the SDK as it takes them', () => {
    const sse = { type: 'sse', url: 'http://127.0.0.1:8080/sse' };
    const service = new MCPService({ user: { docs: STDIO, web: HTTP, events: sse } });
    expect(service.servers()).toEqual({
      docs: { type: 'stdio', ...STDIO },
      web: HTTP,
      events: { ...sse, headers: {} },
    });
    expect(service.notices()).toEqual([]);
  });

  it.each([
    ['no object', 'docs', 'echo', 'it is not an object'],
    ['no program', 'docs', { command: '' }, 'its command must be the name of a program'],
    ['arguments that are no texts', 'docs', { command: 'x', args: [1] }, 'its args'],
    ['a NUL in an argument', 'docs', { command: 'x', args: ['a\0b'] }, 'its args'],
    ['an environment that is none', 'docs', { command: 'x', env: { A: 1 } }, 'its env'],
    ['an address that is none', 'docs', { type: 'http', url: 'mcp.example' }, 'its url'],
    ['an address of a file', 'docs', { type: 'sse', url: 'file:///etc/passwd' }, 'its url'],
    ['a header with a newline', 'docs', { ...HTTP, headers: { A: 'b\r\nC: d' } }, 'its headers'],
    ['a kind that nobody knows', 'docs', { type: 'sdk', name: 'x' }, 'its type'],
    [
      'a program of its prototype',
      'docs',
      JSON.parse('{"__proto__": {"command": "x"}}'),
      'its command',
    ],
    ['a name that steers a terminal', 'a\u001b[2J', STDIO, 'its name'],
  ])('leaves out a server with %s, and says so', (_, name, value, reason) => {
    const service = new MCPService({ user: { [name]: value, web: HTTP } });
    expect(Object.keys(service.servers())).toEqual(['web']);
    expect(service.notices()).toHaveLength(1);
    expect(service.notices()[0]).toContain(reason);
    expect(service.notices()[0]).not.toContain('\u001b');
  });

  it('runs no program that a project names, and says where to put it', () => {
    const service = new MCPService({ user: {}, project: { docs: STDIO, web: HTTP } });
    expect(Object.keys(service.servers())).toEqual(['web']);
    expect(service.notices()[0]).toContain('put it into your own ~/.claude-replica/settings.json');
  });

  it("does not let a project take the name of the person's own server", () => {
    const service = new MCPService({ user: { docs: STDIO }, project: { docs: HTTP } });
    expect(service.servers()).toEqual({ docs: { type: 'stdio', ...STDIO } });
    expect(service.notices()).toHaveLength(1);
  });

  it('says how the servers are, by what the SDK says of them', async () => {
    const service = new MCPService({ user: { docs: STDIO, web: HTTP, late: STDIO } });
    const told: McpServerStatus[] = [
      {
        name: 'docs',
        status: 'connected',
        serverInfo: { name: 'Docs', version: '1.0' },
        tools: [{ name: 'search' }],
      },
      { name: 'web', status: 'failed', error: 'refused\u001b[2J' },
      { name: 'somebody-else', status: 'connected' },
    ];
    expect(await service.states({ mcpServerStatus: async () => told })).toEqual([
      { name: 'docs', kind: 'stdio', state: 'connected', tools: 1, detail: 'Docs 1.0' },
      { name: 'web', kind: 'http', state: 'failed', tools: 0, detail: 'refused\\x1b[2J' },
      { name: 'late', kind: 'stdio', state: 'waiting', tools: 0, detail: null },
    ]);
  });

  it('lists them without a query, and with one that has just ended', async () => {
    const service = new MCPService({ user: { docs: STDIO } });
    const waiting = [{ name: 'docs', kind: 'stdio', state: 'waiting', tools: 0, detail: null }];
    expect(await service.states(null)).toEqual(waiting);
    const ended = { mcpServerStatus: () => Promise.reject(new Error('Query closed')) };
    expect(await service.states(ended)).toEqual(waiting);
  });
});
