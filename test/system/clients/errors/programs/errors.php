<?php

/* Handles errors by the types that the generator has made of them: errors.php CLIENT URL */

use OpenAPI\Client\Api\TodosApi;
use OpenAPI\Client\ApiException;
use OpenAPI\Client\Configuration;
use OpenAPI\Client\Model\Problem;
use OpenAPI\Client\Model\UpdateTodo;

[, $client, $url] = $argv;
require 'GuzzleHttp/autoload.php';
spl_autoload_register(function (string $name) use ($client) {
    $file = str_replace(['OpenAPI\Client', '\\'], ["$client/lib", '/'], $name) . '.php';
    if (file_exists($file)) {
        require $file;
    }
});

$todos = new TodosApi(config: (new Configuration())->setHost($url));
expect(problem(404, fn() => $todos->getTodo(999)), 'not-found');
$update = new UpdateTodo(['completed' => true]);
expect(problem(412, fn() => $todos->updateTodo(1, $update, '"old"')), 'precondition-failed');

function problem(int $status, callable $call): Problem
{
    try {
        $call();
    } catch (ApiException $error) {
        $problem = $error->getResponseObject();
        if ($error->getCode() === $status && $problem instanceof Problem) {
            return $problem;
        }
        throw $error;
    }
    throw new Exception('the call succeeded');
}

function expect(Problem $problem, string $code): void
{
    if ($problem->getCode() !== $code) {
        throw new Exception($problem);
    }
}
