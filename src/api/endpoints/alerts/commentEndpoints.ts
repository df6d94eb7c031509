import { Id, List, Millis, nullable, Shape, Text } from '../../../model/schema.ts';
import { addComment, listComments, removeComment } from '../../../services/alerts/comments.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';

const path = '/alert/{uid}/comment';
const tag = 'Alerts';

const uid = Text('The alert.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071', { max: 100 });
const text = Text('What it says.', 'Known migration; the owner confirmed it.', {
  max: 10_000,
  pattern: '\\S',
});
const comment = Shape(
  {
    id: Id('The comment.'),
    authorId: nullable(Id('The user who wrote it; null if a token without a user did.')),
    author: Text('Name of the author at the time.', 'Alice'),
    text,
    createdAt: Millis('When it was written.'),
  },
  ['id', 'authorId', 'author', 'text', 'createdAt'],
);

/** Comments belong to the tenant of the alert, and are not shown to those it is shared with. */
export const commentEndpoints: Endpoint[] = [
  endpoint({
    method: 'GET',
    path,
    tag,
    summary: 'List the comments of an alert',
    description: 'The oldest first. Tenants that the project is shared with do not see them.',
    params: Shape({ uid }, ['uid']),
    reply: Shape({ data: List(comment, 'The comments.') }, ['data']),
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { params }) => ({ body: { data: await listComments(call, params.uid) } }),
  }),
  endpoint({
    method: 'POST',
    path,
    tag,
    summary: 'Comment on an alert',
    description: 'An alert has at most 1,000 comments. Streams send the alert again, as `changed`.',
    params: Shape({ uid }, ['uid']),
    body: Shape({ text }, ['text']),
    reply: comment,
    status: 201,
    effect: 'create',
    problems: ['not-found', 'conflict'],
    handle: async (call, { params, body }) => ({ body: await addComment(call, params.uid, body.text) }),
  }),
  endpoint({
    method: 'DELETE',
    path: `${path}/{id}`,
    tag,
    summary: 'Delete a comment',
    description: 'Authors delete their own, managers of the tenant those of everyone.',
    params: Shape({ uid, id: Id('The comment.') }, ['uid', 'id']),
    reply: Shape({ id: Id('The deleted comment.') }, ['id']),
    effect: 'change',
    problems: ['not-found'],
    handle: async (call, { params }) => {
      await removeComment(call, params.uid, params.id);
      return { body: { id: params.id } };
    },
  }),
];
